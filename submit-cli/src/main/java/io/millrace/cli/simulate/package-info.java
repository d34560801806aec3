/** {@code millrace simulate}: what-if runs with the production rules; needs no server. */
package io.millrace.cli.simulate;
