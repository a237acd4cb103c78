// pushes
