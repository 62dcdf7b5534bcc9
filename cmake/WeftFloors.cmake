# The table of contents: the floors of the house and the rooms of each. A floor includes only floors of a lower number,
# a room only rooms that stand before it. include/, lib/ and async_tests/ have the same folders; what users include lies
# at the root of a floor; a room `.` is that root itself. The tidy test reads this file.

# weft_floor(<name> <number> [ROOMS <folders, bottom first>])
function(weft_floor name number)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "ROOMS")
    set(WEFT_ROOMS_${name} ${arg_ROOMS} PARENT_SCOPE)
endfunction()

# Values, JSON, clocks, errors.
weft_floor(base 0 ROOMS error text memory system json schema)
# Coroutines on a loop.
weft_floor(async 1 ROOMS loop task wait group)
# Graphs as values: state, edges, nodes; graph files; drawings.
weft_floor(graph 2 ROOMS state edge expression node build document spec analysis drawing)
# Messages of conversations with models.
weft_floor(chat 2)
# The HTTP client and server.
weft_floor(net 2 ROOMS text options socket tls connection cassette http server)
# Where runs, items and threads are stored.
weft_floor(store 3 ROOMS record tables role service thread memory sqlite/sql sqlite postgres/sql
    postgres/wire postgres redis sealed)
# Chat models of every provider, and what decorates them.
weft_floor(model 3 ROOMS time chat wire openai responses anthropic gemini ollama embedding decorator config)
# Tools of models, and MCP servers.
weft_floor(tool 3 ROOMS process call builtin rpc oauth mcp mcp_server)
# SVG by Graphviz.
weft_floor(drawing 3)
# What runs graphs, once or durably.
weft_floor(engine 4 ROOMS scheduler rest visit run start value checkpoint trace commit worker durable)
# Agents, and the kinds of nodes that graph files name.
weft_floor(agent 5 ROOMS text conversation prompt guard memory core node react event_loop turn_agent chat_agent pattern
    playbook host remote kinds)
# Where events of runs go.
weft_floor(observe 5 ROOMS metric trace otlp telemetry . mqtt)
# The interfaces of other systems, on graphs of weft.
weft_floor(facade 6 ROOMS ensemble state turn)
# Graphs over HTTP, for clients of several protocols.
weft_floor(serve 6 ROOMS auth http state feed run schedule wire order langgraph langgraph/schedule protocol
    openai mcp a2a ag_ui studio server)
# The program weft, in cli/.
weft_floor(cli 7 ROOMS terminal graph store run serve thread completion command .)
# What tests of graphs need.
weft_floor(testing 8 ROOMS simulation network model endpoint store)
