/**
 * The execution node's side of the talk with the central managers: registers, polls for work, holds
 * the attempts and reports what became of them (M-05..M-12).
 */
package io.millrace.executor.agent;
