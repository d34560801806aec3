/** What a queue manager asks of and tells the central manager, tick by tick. */
package io.millrace.api.pacing;
