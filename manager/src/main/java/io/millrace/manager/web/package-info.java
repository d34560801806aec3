/** The central manager's HTTP routes: they read requests, call the domain and write answers. */
package io.millrace.manager.web;
