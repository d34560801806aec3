-- The names that may join with a token (null for any), and whether a name in use is taken over.
alter table join_token add column (
  name_pattern varchar(100),
  takes_over boolean default false not null
);
