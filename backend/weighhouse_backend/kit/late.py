"""Modules that few requests need, imported when they are first used: docs/adr/0106."""

from importlib import import_module
from types import ModuleType
from typing import Any


class _Late(ModuleType):
    """Stands for a module until it is used, and hands on what it has."""

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self.__name__), name)


def late(name: str) -> Any:
    """A module that is imported when something of it is first asked for, by whichever thread.

    :param name: in whole: `weighhouse_backend.notices.chats`.
    :returns: what stands for it. For types it is imported beside this, under `TYPE_CHECKING`.
    """
    return _Late(name)
