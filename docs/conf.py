"""The Sphinx configuration of the site that ``python -m docs`` builds."""

from dpaudit.version import __version__

project = "dpaudit"
author = "the authors of dpaudit"
version = release = __version__
extensions = ["sphinx.ext.autodoc", "myst_nb", "sphinx_copybutton", "docs.site.math"]
exclude_patterns = ["_extra"]
root_doc = "index"

myst_enable_extensions = ["dollarmath"]
html_math_renderer = "mathml"
myst_heading_anchors = 3
myst_url_schemes = {"http": None, "https": None, "site": "{{path}}#{{fragment}}"}
nb_execution_mode = "off"
"""The committed notebooks have their outputs; a test runs the cells and compares."""

autodoc_typehints = "none"
autodoc_member_order = "bysource"
add_module_names = False
highlight_language = "text"
smartquotes = False

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True
"""A copied session holds its commands, not what they print."""

html_theme = "furo"
html_title = f"dpaudit {__version__}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_extra_path = ["_extra"]
html_copy_source = False
html_show_sphinx = html_show_copyright = False
pygments_style, pygments_dark_style = "tango", "github-dark"
