/** Commands about licences: consumables of the whole cluster. */
package io.millrace.cli.licence;
