"""Sphinx settings. `make docs` builds the pages; warnings are errors."""

from sphinx.application import Sphinx

import katachi
from katachi.core.settings import Settings

project = "Katachi"
author = "The Katachi authors"
project_copyright = author
release = version = katachi.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.viewcode"]
exclude_patterns = ["_build"]
# `name` in a docstring is a name in the code.
default_role = "code"

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_default_options = {"exclude-members": "model_config"}

myst_enable_extensions = ["colon_fence", "dollarmath"]

html_theme = "furo"
html_title = f"Katachi {release}"


def describe_fields(_app: Sphinx, _what: str, _name: str, obj: object, _options: object, lines: list[str]) -> None:
    """Ends the page of a settings model with its fields: their defaults and descriptions are kept in the model."""
    if isinstance(obj, type) and issubclass(obj, Settings):
        for name, field in obj.model_fields.items():
            default = "no default" if field.is_required() else f"default ``{field.default!r}``"
            lines += ["", f"- ``{field.alias or name}`` ({default}): {field.description or ''}"]


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", describe_fields)
