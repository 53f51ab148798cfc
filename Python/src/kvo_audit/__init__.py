"""Audits logs of key-value observing, and gives what was found as Arrow tables, Parquet and reports.

    import kvo_audit

    report = kvo_audit.audit("logs/", path_pattern="{version}/{day}/*")
    report.findings                     # an Arrow table
    report.to_html("audit.html")

:mod:`kvo_audit.spark` does the same on a Spark cluster.
"""

from ._audit import audit, merge
from ._errors import AuditError, InputError, OutputError, ToolCrashed, ToolMissing, ToolTimeout, UsageError
from ._report import Report
from ._tables import FINDINGS, INPUTS, REGISTRATIONS
from ._version import __version__

__all__ = [
    "FINDINGS",
    "INPUTS",
    "REGISTRATIONS",
    "AuditError",
    "InputError",
    "OutputError",
    "Report",
    "ToolCrashed",
    "ToolMissing",
    "ToolTimeout",
    "UsageError",
    "__version__",
    "audit",
    "merge",
]
