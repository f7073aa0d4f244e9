"""Imports every element file, so that the registry knows all items."""

import importlib
import pkgutil

import linkwork.elements

for _module in pkgutil.walk_packages(linkwork.elements.__path__, "linkwork.elements."):
    if _module.name != __name__:
        importlib.import_module(_module.name)
