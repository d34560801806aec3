package io.millrace.manager.backup;

import java.util.List;

/** The tables of the central database. */
public final class CopiedTables {
  /** The modules whose tables these are, in the order of their migrations. */
  public static final List<String> MODULES = List.of("platform", "central");

  /** Tables that a backup contains. */
  public static final List<String> ALL =
      List.of(
          "array_node",
          "array_run_time",
          "array_usage",
          "attempt",
          "balancing_decision",
          "balancing_move",
          "booking",
          "breaker",
          "cancelled_dependent",
          "claim",
          "clock_step",
          "dead_letter_count",
          "decision",
          "definition",
          "definition_deletion",
          "element_ids",
          "ended_elements",
          "fair_share",
          "idempotency_key",
          "job",
          "job_array",
          "job_deadline",
          "job_dependency",
          "job_event",
          "job_ready",
          "job_restarting",
          "job_run",
          "job_shape",
          "job_tag",
          "job_total",
          "job_total_change",
          "lane",
          "lane_entry",
          "licence",
          "minute_sample",
          "node",
          "node_closure",
          "node_failure",
          "node_identity",
          "node_lock",
          "node_orders",
          "notice",
          "notice_command",
          "notice_failure",
          "pacing_override",
          "pacing_rate",
          "pacing_state",
          "partition_cycle",
          "partition_group",
          "partition_member",
          "partition_resource",
          "problem",
          "problem_silence",
          "program_progress",
          "queue_control",
          "queue_sample",
          "queue_weight",
          "released_step",
          "resource_adjustment",
          "restoration",
          "run_parameter",
          "shape_wait",
          "share_weight",
          "step_end",
          "step_output",
          "subject_notice",
          "task_chunk",
          "task_run",
          "task_run_workflow",
          "task_schedule",
          "task_worker",
          "usage_change",
          "usage_day",
          "usage_profile",
          "weight_history",
          "worker_total",
          "workflow",
          "workflow_archive",
          "workflow_array",
          "workflow_breaker",
          "workflow_edge",
          "workflow_event",
          "workflow_join",
          "workflow_list",
          "workflow_opening",
          "workflow_reset",
          "workflow_reset_part",
          "workflow_revision",
          "workflow_state",
          "workflow_step",
          "workflow_submission",
          "workflow_successor",
          "workflow_template");

  /**
   * Tables that a backup leaves out: what admits people and machines, what is worthless a minute
   * later, and samples of nodes, of which it has the minutes.
   */
  public static final List<String> LEFT_OUT =
      List.of(
          "hint",
          "join_token",
          "join_token_terms",
          "login_code",
          "login_session",
          "new_node_drain",
          "node_sample",
          "place_allowance",
          "write_proof");

  private CopiedTables() {}
}
