"""Link check: find out what is at a resource's URL (``check.check_link``), in a few requests.

``service_requests`` and ``addresses`` build requests; ``responses`` describes the answers. A
service is recognised by ``services`` (XML) or ``api`` (JSON), a file by ``content``, with
libmagic, ``archives`` and ``texts``. The result is a ``LinkResult``.
"""
