/** What a queue manager requests from and reports to the central manager at each tick. */
package io.millrace.api.pacing;
