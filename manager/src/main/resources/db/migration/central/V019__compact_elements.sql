-- Which ids the elements of an array got: the job first_id + i is the element with the index
-- first_index + i * step width of the array; with a list, the element with the i-th index of the list.
-- A row is deleted with its array.
create table if not exists element_ids (
  first_id bigint not null primary key,
  array_id bigint not null,
  elements int not null,
  first_index bigint not null,
  -- The differences between neighbouring indexes, the first from first_index, as variable-length numbers.
  indexes varbinary(8000),
  index element_ids_by_array (array_id, first_id)
) ${tableOptions};

-- Elements that succeeded at their first try, 256 of an array in a row, instead of their rows in job and
-- attempt: a bit for each, and what is known of each whose bit is set, in the order of the bits.
create table if not exists ended_elements (
  array_id bigint not null,
  -- The position of an element in its array, divided by 256.
  block_number int not null,
  elements int not null,
  bits varbinary(32) not null,
  facts varbinary(24000) not null,
  primary key (array_id, block_number)
) ${tableOptions};

-- What the elements in ended_elements used together; of those that were measured, except run_millis.
create table if not exists array_usage (
  array_id bigint not null primary key,
  elements bigint not null,
  measured bigint not null,
  run_millis bigint not null,
  cpu_millis bigint not null,
  memory_bytes_max bigint not null,
  memory_bytes_sum bigint not null,
  read_bytes bigint not null,
  written_bytes bigint not null
) ${tableOptions};

-- The numbers by which ended_elements names the nodes that ran them.
create table if not exists array_node (
  array_id bigint not null,
  ordinal int not null,
  node_id varchar(36) not null,
  node_name varchar(200) not null,
  primary key (array_id, ordinal),
  constraint array_node_once unique (array_id, node_id, node_name)
) ${tableOptions};
