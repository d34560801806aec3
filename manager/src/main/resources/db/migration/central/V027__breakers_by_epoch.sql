-- A breaker counts the steps of all arrays of its template in one epoch of the workflow.
alter table workflow_breaker add column epoch int not null default 0;

-- Those of an earlier resumption keep 0, which is no epoch.
update workflow_breaker
set epoch = coalesce((select w.epoch from workflow w where w.id = workflow_breaker.workflow_id), 0)
where array_id = (
  select t.array_id
  from workflow_template t
  where t.workflow_id = workflow_breaker.workflow_id and t.template = workflow_breaker.template
);

alter table workflow_breaker drop column array_id;
