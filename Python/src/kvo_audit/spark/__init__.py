"""Audits logs on a Spark cluster, with the verdicts of one machine.

    from kvo_audit.spark import audit

    audit(spark, "s3a://bucket/logs/**/*.kvolog", output="s3a://bucket/audit", path_pattern="{version}/{day}/*")

The workers need this package; ``job.py`` beside this file does the same for ``spark-submit``.
"""

from ._audit import SparkAudit, audit
from ._output import OutputBusy

__all__ = ["OutputBusy", "SparkAudit", "audit"]
