package main

import (
	"context"
	"fmt"
	"time"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/flow/agent/react"
	"github.com/cloudwego/eino/schema"
)

// visits counts nodes; where branches meet, a function merges their counts: the cheapest way that Eino has.
type visits int

func init() {
	compose.RegisterValuesMergeFunc(func(all []visits) (visits, error) {
		sum := visits(0)
		for _, one := range all {
			sum += one
		}
		return sum, nil
	})
}

func visit(_ context.Context, before visits) (visits, error) { return before + 1, nil }

type nodeWork = func(ctx context.Context, before visits) (visits, error)

func einoChain(nodes int, work nodeWork) compose.Runnable[visits, visits] {
	graph := compose.NewGraph[visits, visits]()
	previous := compose.START
	for i := range nodes {
		name := fmt.Sprintf("node %d", i)
		check(graph.AddLambdaNode(name, compose.InvokableLambda(work)))
		check(graph.AddEdge(previous, name))
		previous = name
	}
	check(graph.AddEdge(previous, compose.END))
	built, err := graph.Compile(context.Background())
	check(err)
	return built
}

func einoFan(branches int, work nodeWork) compose.Runnable[visits, visits] {
	graph := compose.NewGraph[visits, visits]()
	pass := compose.InvokableLambda(func(_ context.Context, before visits) (visits, error) { return before, nil })
	check(graph.AddLambdaNode("split", pass))
	check(graph.AddLambdaNode("join", pass))
	check(graph.AddEdge(compose.START, "split"))
	for i := range branches {
		name := fmt.Sprintf("branch %d", i)
		check(graph.AddLambdaNode(name, compose.InvokableLambda(work)))
		check(graph.AddEdge("split", name))
		check(graph.AddEdge(name, "join"))
	}
	check(graph.AddEdge("join", compose.END))
	built, err := graph.Compile(context.Background())
	check(err)
	return built
}

func invoke(graph compose.Runnable[visits, visits], expected int) {
	found, err := graph.Invoke(context.Background(), 0)
	check(err)
	require(int(found) == expected, "a run did not visit every node")
}

// byEino has graphs of its default kind (Pregel), and the agent of its flow/agent/react.
var byEino = system{
	title: "Eino",
	chain: func(nodes int) func() {
		graph := einoChain(nodes, visit)
		return func() { invoke(graph, nodes) }
	},
	fanOut: func(branches int, delay time.Duration) func() {
		graph := einoFan(branches, func(_ context.Context, before visits) (visits, error) {
			if delay > 0 {
				time.Sleep(delay)
			}
			return before + 1, nil
		})
		return func() { invoke(graph, branches) }
	},
	waiting: func() func(func()) {
		graph := einoChain(3, func(_ context.Context, before visits) (visits, error) {
			if before == 0 {
				begun.Add(1)
			}
			time.Sleep(waits.next())
			return before + 1, nil
		})
		return func(ended func()) {
			invoke(graph, 3)
			ended()
		}
	},
	build: func(nodes int) { einoChain(nodes, visit) },
	turns: einoTurns,
}

// einoModel behaves as the shape of its agent says.
type einoModel struct{ agentShape }

func (m *einoModel) Generate(_ context.Context, input []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	turn := (len(input) - m.first()) / 2
	if m.delay > 0 {
		time.Sleep(m.delay)
	}
	said := schema.AssistantMessage(m.answer, nil)
	if turn+1 < m.turns {
		call := schema.FunctionCall{Name: m.tool, Arguments: m.arguments(turn)}
		id := fmt.Sprintf("call-%d", turn)
		said = schema.AssistantMessage("", []schema.ToolCall{{ID: id, Type: "function", Function: call}})
	}
	said.ResponseMeta = &schema.ResponseMeta{Usage: &schema.TokenUsage{PromptTokens: 20, CompletionTokens: 10}}
	require(len(input) == m.first()+2*turn, "an agent lost messages")
	return said, nil
}

func (m *einoModel) Stream(
	ctx context.Context, input []*schema.Message, options ...model.Option,
) (*schema.StreamReader[*schema.Message], error) {
	said, err := m.Generate(ctx, input, options...)
	return schema.StreamReaderFromArray([]*schema.Message{said}), err
}

func (m *einoModel) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return m, nil }

func einoTurns(shape agentShape) func() {
	ctx := context.Background()
	look, err := utils.InferTool(shape.tool, "Looks.", func(_ context.Context, where place) (string, error) {
		return where.use(), nil
	})
	check(err)
	agent, err := react.NewAgent(ctx, &react.AgentConfig{
		ToolCallingModel: &einoModel{shape},
		ToolsConfig:      compose.ToolsNodeConfig{Tools: []tool.BaseTool{look}},
		MaxStep:          2*shape.turns + 6,
	})
	check(err)
	return func() {
		talk := []*schema.Message{schema.SystemMessage(shape.system)}
		for _, text := range append(shape.before, shape.question) {
			talk = append(talk, schema.UserMessage(text))
		}
		said, err := agent.Generate(ctx, talk)
		check(err)
		require(said.Content == shape.answer, "an agent did not answer")
	}
}
