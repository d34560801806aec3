create index partition_resource_by_holder on partition_resource (group_name, holder)
