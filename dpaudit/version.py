"""The version, and what will not change from 0.3.0 on.

From 0.3.0 on, a minor release may add to these forms; it does not change or remove what is there:

- the members of the JSON, as ``docs/json.md`` lists them;
- the format of certificates, ``"version": 2``;
- the exit codes, as ``dpaudit --help`` lists them;
- the texts of guarantees, such as ``"eps=1,delta=1e-5"``, as ``docs/privacy-notions.md`` lists them;
- the formats of tables of probabilities, of counts and of pairs;
- the protocol of your own mechanism: ``datasets``, ``outputs``, ``neighbors``, ``adjacency``, ``claimed``, ``name``,
  ``draw``, and one of ``probability``, ``probabilities``, ``log_weight``, ``sample``, ``coordinates``; and the names
  that its code uses: ``dpaudit.Noise`` and ``dpaudit.until``, ``dpaudit.exp``, ``dpaudit.log``, ``dpaudit.sqrt``,
  ``dpaudit.log_gamma`` and ``dpaudit.PI``.

Everything else may change: options, Python calls, plans and stores with a line in the changelog; texts for people,
names of modules and the contents of reports without one.
"""

__version__ = "0.2.0"
