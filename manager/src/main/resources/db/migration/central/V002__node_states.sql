-- A node that is registered and heard of is ACTIVE, any other LOST, as the API shows them.
update node set standing = 'ACTIVE' where standing = 'EMPLOYED';
update node set standing = 'LOST' where standing = 'RETIRED';
