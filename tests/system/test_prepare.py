"""What continuous integration installs: without the proof assistant it ends with an error, and never skips its lane."""

import shutil
import subprocess
from pathlib import Path

import pytest

PREPARE = Path(__file__).parents[2] / ".ci" / "prepare"
INSTALLS = 'printf "#!/bin/sh\\nexit 0\\n" >"$(dirname "$0")/coqc"; chmod +x "$(dirname "$0")/coqc"'


@pytest.fixture
def machine(tmp_path):
    """A machine with these commands alone, as root."""
    for name in ("bash", "mktemp", "rm", "dirname", "chmod"):
        (tmp_path / name).symlink_to(shutil.which(name))

    def put(**commands):
        for name, text in {"chromium": "exit 0", "id": "echo 0", **commands}.items():
            path = tmp_path / name.replace("_", "-")
            path.write_text(f"#!/bin/sh\n{text}\n")
            path.chmod(0o755)
        command = [shutil.which("bash"), str(PREPARE)]
        return subprocess.run(command, env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False)

    return put


@pytest.mark.parametrize(
    "commands",
    [
        {"apt_get": "exit 100"},
        {"apt_get": "exit 0"},  # it says that it did, and there is nothing
        {},
        {"coqc": "exit 1", "apt_get": "exit 100"},  # coqc without the library
        {"id": "echo 1000", "apt_get": INSTALLS},
    ],
)
def test_without_coq_it_ends_with_an_error(machine, commands):
    done = machine(**commands)
    assert done.returncode == 1
    assert "apt-get install coq libcoq-interval" in done.stderr


@pytest.mark.parametrize(
    "commands", [{"coqc": "exit 0"}, {"apt_get": INSTALLS}, {"coqc": "exit 1", "apt_get": INSTALLS}]
)
def test_with_coq_it_is_done(machine, commands):
    assert machine(**commands).returncode == 0
