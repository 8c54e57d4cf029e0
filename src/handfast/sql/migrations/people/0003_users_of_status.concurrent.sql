-- Users of one status, of whom there may be few among millions, the newest profile first.
CREATE INDEX CONCURRENTLY users_of_status ON handfast_people.users (status, created_at, id);
