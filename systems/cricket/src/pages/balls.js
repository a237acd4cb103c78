// balls
