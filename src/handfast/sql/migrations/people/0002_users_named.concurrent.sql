-- Users by how their names begin, a page at a time: many have the same name, and their ids go on.
-- Byte by byte, so that what begins so lies between two names.
CREATE INDEX CONCURRENTLY users_named ON handfast_people.users ((lower(display_name) COLLATE "C"), id);
