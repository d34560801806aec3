/** Commands about fair shares: everybody's part of the cluster. */
package io.millrace.cli.share;
