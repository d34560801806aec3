/**
 * Control groups of the kernel (cgroup v2), one for each attempt with a limit of memory, where the
 * node was given a part of their tree. Called by the supervision of processes.
 */
package io.millrace.executor.cgroup;
