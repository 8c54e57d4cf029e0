"""What the pages' tasks find in the database, a module for each capability.

Each may have ``async def seed(database)``, which is called once before the server is started, and
further ones that a task calls when it needs them, and is told what they answer:
``await seed("engine.gap")``.
"""

OPERATOR, VIEWER = "hf_admin_for_the_pages_only", "hf_viewer_for_the_pages_only"
