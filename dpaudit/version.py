"""The version, and what a version promises.

From 0.3.0 on, a minor release may add to the following and changes none of it: the members of the JSON that
``docs/json.md`` lists, the format of certificates (``"version": 2``), the exit codes of ``dpaudit --help``, and the
protocol of your own mechanism: ``datasets``, ``outputs``, ``neighbors``, ``adjacency``, ``claimed``, ``name``,
``draw``, and one of ``probability``, ``probabilities``, ``log_weight``, ``sample``, ``coordinates``. Texts for people,
names of modules and the contents of reports may change at any time.
"""

__version__ = "0.2.0"
