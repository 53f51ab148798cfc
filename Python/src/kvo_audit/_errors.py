"""The errors of this package. Each has the words of the tool."""

from __future__ import annotations


class AuditError(Exception):
    """An audit failed. Its text is what the tool said."""


class UsageError(AuditError):
    """An argument is wrong (exit status 64)."""


class InputError(AuditError):
    """No input can be read, or a baseline or suppressions cannot be used (exit status 65)."""


class OutputError(AuditError):
    """A report cannot be written (exit status 74)."""


class ToolMissing(AuditError):
    """The program kvo-audit is not there."""


class ToolCrashed(AuditError):
    """The tool was ended by a signal, also for want of memory."""


class ToolTimeout(AuditError):
    """The tool took longer than it was given."""
