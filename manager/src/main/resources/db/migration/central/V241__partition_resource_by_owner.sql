create index partition_resource_by_owner on partition_resource (group_name, owner, next_cycle)
