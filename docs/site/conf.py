"""How Sphinx makes pages of the project's Markdown and docstrings (`make docs-site`)."""

project = "fedreact"
root_doc = "index"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]

# Links to a heading are as they are where the pages are read in the project's folder.
myst_heading_anchors = 3
myst_enable_extensions = ["html_image"]

autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_default_options = {"members": True, "member-order": "bysource"}
python_maximum_signature_line_length = 70
toc_object_entries_show_parents = "hide"

# Attributes are a list, as parameters are; "train, test" is a line of it. What is returned has
# names, not types.
napoleon_use_rtype = False
napoleon_custom_sections = [("Attributes", "params_style")]

# Everything that a page needs lies beside it: no fonts, scripts or pictures of other hosts.
html_theme = "furo"
html_title = "fedreact"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_search_summary = False  # would be fetched, which files cannot be
html_show_copyright = False
highlight_language = "text"
