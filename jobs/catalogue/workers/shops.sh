#!/bin/sh
# Prints the shops, one a line: the chunks of the checker of orders.
echo books
echo gifts
echo mobile
echo tickets
