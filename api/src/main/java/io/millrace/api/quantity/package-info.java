/** Durations and sizes as people write them: {@code 30s}, {@code 5m}, {@code 64KB}. */
package io.millrace.api.quantity;
