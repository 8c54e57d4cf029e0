-- Sets by zone first. An index that begins with the day is as good as the primary key to a planner whose
-- statistics have not met that day yet, and then each look for one set reads all of the day's.
CREATE INDEX CONCURRENTLY sets_of_a_zone ON handfast_offers.sets (zone, day);
