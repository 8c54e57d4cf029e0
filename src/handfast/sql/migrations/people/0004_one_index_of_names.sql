-- By users_named now. An older process that still looks for a name reads them all until it is gone.
DROP INDEX handfast_people.users_by_name;
