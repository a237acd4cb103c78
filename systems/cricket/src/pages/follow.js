// follow
