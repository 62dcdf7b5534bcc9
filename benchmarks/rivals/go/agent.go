package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// An agentShape says what an agent is asked, and how its model behaves: it calls the tool in every turn but the last.
type agentShape struct {
	system    string
	before    []string // what the user said before
	question  string
	tool      string
	arguments func(turn int) string
	answer    string
	turns     int
	delay     time.Duration // of a reply
}

// first is how many messages there are before the first turn.
func (a *agentShape) first() int { return 2 + len(a.before) }

func manyBytes(count int) string { return strings.Repeat("m", count) }

type place struct {
	X    int    `json:"x,omitempty"`
	City string `json:"city,omitempty"`
}

// use does what the tools do.
func (where place) use() string {
	if where.City != "" {
		return "rain in " + where.City
	}
	return fmt.Sprintf("seen %d", where.X)
}

// What follows is an agent by hand: a loop that sends a model all messages, parses the arguments of its calls, calls
// the tool and keeps what both said.

type toolCall struct{ id, name, arguments string }

type message struct {
	role, text, answers string
	calls               []toolCall
}

type reply struct {
	message
	input, output int
}

func (a *agentShape) reply(request []message) reply {
	turn := (len(request) - a.first()) / 2
	if a.delay > 0 {
		time.Sleep(a.delay)
	}
	said := message{role: "assistant", text: a.answer}
	if turn+1 < a.turns {
		said.text = ""
		said.calls = []toolCall{{fmt.Sprintf("call-%d", turn), a.tool, a.arguments(turn)}}
	}
	return reply{said, 20, 10}
}

func (a *agentShape) byHand() {
	talk := []message{{role: "system", text: a.system}}
	for _, text := range append(a.before, a.question) {
		talk = append(talk, message{role: "user", text: text})
	}
	tokens := 0
	for range a.turns {
		said := a.reply(append([]message(nil), talk...))
		tokens += said.input + said.output
		talk = append(talk, said.message)
		for _, call := range said.calls {
			require(call.name == a.tool, "a model called an unknown tool")
			var where place
			check(json.Unmarshal([]byte(call.arguments), &where))
			talk = append(talk, message{role: "tool", text: where.use(), answers: call.id})
		}
	}
	require(len(talk) == a.first()+2*a.turns-1, "an agent took another number of turns")
	require(talk[len(talk)-1].text == a.answer, "an agent did not answer")
	require(tokens == 30*a.turns, "an agent spent other tokens")
}
