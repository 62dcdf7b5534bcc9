package main

import (
	"sync"
	"time"
)

// byHand has a goroutine for each run and for each branch, and a function value for each node.
var byHand = system{
	title: "Go by hand",
	chain: func(nodes int) func() {
		work := make([]func() int, nodes)
		for i := range work {
			work[i] = func() int { return 1 }
		}
		ended := make(chan int)
		return func() {
			go func() {
				visits := 0
				for _, node := range work {
					visits += node()
				}
				ended <- visits
			}()
			require(<-ended == nodes, "a chain did not visit every node")
		}
	},
	fanOut: func(branches int, delay time.Duration) func() {
		visits := make([]int, branches)
		return func() {
			var join sync.WaitGroup
			join.Add(branches)
			for i := range visits {
				visits[i] = 0
				go func() {
					if delay > 0 {
						time.Sleep(delay)
					}
					visits[i]++
					join.Done()
				}()
			}
			join.Wait()
			sum := 0
			for _, one := range visits {
				sum += one
			}
			require(sum == branches, "a fan-out did not run every branch")
		}
	},
	waiting: func() func(func()) {
		return func(ended func()) {
			begun.Add(1)
			for range 3 {
				time.Sleep(waits.next())
			}
			ended()
		}
	},
	turns: func(agent agentShape) func() { return agent.byHand },
}
