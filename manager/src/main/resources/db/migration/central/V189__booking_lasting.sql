-- Whether its job is always started again, so that its room does not become free by itself.
alter table booking add column lasting boolean default false not null
