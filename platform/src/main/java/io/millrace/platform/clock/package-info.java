/** The one source of time. Production reads the system's clocks, tests turn one by hand. */
package io.millrace.platform.clock;
