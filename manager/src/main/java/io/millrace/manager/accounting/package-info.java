/** What the attempts of jobs used, by day, owner and queue. */
package io.millrace.manager.accounting;
