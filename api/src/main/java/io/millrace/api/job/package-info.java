/** Jobs, their attempts, their states, and shares and licences. */
package io.millrace.api.job;
