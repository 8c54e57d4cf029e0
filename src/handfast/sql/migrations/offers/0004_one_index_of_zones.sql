-- By sets_of_a_zone now.
DROP INDEX handfast_offers.sets_by_zone;
