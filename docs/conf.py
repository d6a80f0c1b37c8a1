"""How Sphinx makes the site of the pages that ``python -m docs`` has laid out."""

from dpaudit.version import __version__

project = "dpaudit"
author = "the authors of dpaudit"
version = release = __version__
extensions = ["sphinx.ext.autodoc", "myst_nb"]
exclude_patterns = ["_extra"]
root_doc = "index"

myst_enable_extensions: list[str] = []
myst_heading_anchors = 3
myst_url_schemes = {"http": None, "https": None, "site": "{{path}}#{{fragment}}"}
nb_execution_mode = "off"
"""The committed notebooks have their outputs; a test holds that they are what the cells give."""

autodoc_typehints = "none"
autodoc_member_order = "bysource"
add_module_names = False
highlight_language = "text"
smartquotes = False

html_theme = "furo"
html_title = f"dpaudit {__version__}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_extra_path = ["_extra"]
html_copy_source = False
html_show_sphinx = html_show_copyright = False
pygments_style, pygments_dark_style = "tango", "github-dark"
