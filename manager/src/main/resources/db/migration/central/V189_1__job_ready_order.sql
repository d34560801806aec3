-- Jobs are placed by their shapes; each row that nobody reads costs every submission.
drop index job_ready_order on job_ready
