create index weight_history_by_time on weight_history (changed_at)
