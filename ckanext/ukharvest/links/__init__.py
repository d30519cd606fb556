"""What is at the address of a resource: ``look.look`` asks it, a few times, and says what came.

``questions`` has what is asked, ``addresses`` how; ``answers`` has what came, in words too. A
service is known by ``services`` (XML) or ``api`` (JSON). A file is known by ``content``, from
``marks``, ``archives``, ``xml_roots`` and ``texts``. ``found`` has the result.
"""
