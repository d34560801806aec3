/** Jobs and attempts as submitted, shown and reported. */
package io.millrace.api.job;
