#include "starter.hpp"

#include <boost/assert.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>

namespace weft_cli {

namespace {

struct starter {
    std::string_view name;
    std::string_view arguments;
    std::string_view text;  // with NAME for the name of the graph
};

constexpr std::string_view hello = R"json({
  "name": NAME,
  "description": "Says hello. A node writes keys of the state; edges say what comes after what.",
  "state": [
    {"name": "who", "type": "string", "initial": "world", "description": "Whom to greet."},
    {"name": "text", "type": "string"}
  ],
  "nodes": [
    {"name": "greet", "kind": "set", "settings": {"expressions": {"text": "'Hello, ' + who + '!'"}}},
    {"name": "long or short", "kind": "router", "settings": {
      "routes": [{"when": "len(who) > 20", "to": "wonder", "label": "a long name"}],
      "otherwise": "__end__"
    }},
    {"name": "wonder", "kind": "set", "settings": {"expressions": {"text": "text + ' What a long name.'"}}}
  ],
  "edges": [
    {"from": "__start__", "to": "greet"},
    {"from": "greet", "to": "long or short"},
    {"from": "wonder", "to": "__end__"}
  ]
}
)json";

constexpr std::string_view review = R"json({
  "name": NAME,
  "description": "Writes a text, has it judged, and writes again until it is good or three times over.",
  "state": [
    {"name": "topic", "type": "string", "initial": "why cats purr"},
    {"name": "draft", "type": "string"},
    {"name": "score", "type": "number", "initial": 0.0, "description": "From 0 to 1."},
    {"name": "remarks", "type": "string", "initial": "none yet"}
  ],
  "nodes": [
    {"name": "write", "kind": "llm", "reads": ["topic", "remarks"], "writes": ["draft"], "visits_max": 3,
     "settings": {
       "system": "You write short, lively texts. Answer with the text only.",
       "prompt": "Write three sentences on {topic}. Remarks on the last draft: {remarks}",
       "scripted": ["Cats purr.", "Cats purr when they are content, and when they are in pain. It may heal bones."]
     }},
    {"name": "judge", "kind": "llm", "reads": ["topic", "draft"], "writes": ["score", "remarks"],
     "settings": {
       "system": "You judge texts: score from 0 to 1, and remarks on what to do better.",
       "prompt": "The topic was {topic}. The draft: {draft}",
       "scripted": ["{\"score\": 0.4, \"remarks\": \"Say more: when, and what for?\"}",
                    "{\"score\": 0.9, \"remarks\": \"Good.\"}"]
     }}
  ],
  "edges": [
    {"from": "__start__", "to": "write"},
    {"from": "write", "to": "judge"},
    {"from": "judge", "to": "write", "when": "score < 0.8", "label": "not good enough"},
    {"from": "judge", "to": "__end__"}
  ],
  "limits": {"steps_max": 10, "at_limit": "return_with_flag", "node_timeout": "2m"}
}
)json";

constexpr std::string_view research = R"json({
  "name": NAME,
  "description": "Three researchers at once, of whom two are enough; then a report.",
  "state": [
    {"name": "topic", "type": "string", "initial": "urban beekeeping"},
    {"name": "history", "type": "string", "initial": ""},
    {"name": "practice", "type": "string", "initial": ""},
    {"name": "doubts", "type": "string", "initial": ""},
    {"name": "report", "type": "string"}
  ],
  "nodes": [
    {"name": "plan", "kind": "join", "description": "Where the three begin."},
    {"name": "look back", "kind": "llm", "reads": ["topic"], "writes": ["history"], "timeout": "1m", "settings": {
      "prompt": "In three sentences: the history of {topic}.",
      "scripted": ["People have kept bees in towns since antiquity."]
    }},
    {"name": "look around", "kind": "llm", "reads": ["topic"], "writes": ["practice"], "timeout": "1m", "settings": {
      "prompt": "In three sentences: how {topic} is done today.",
      "scripted": ["Today hives stand on roofs, and clubs teach beginners."]
    }},
    {"name": "look twice", "kind": "llm", "reads": ["topic"], "writes": ["doubts"], "timeout": "1m", "settings": {
      "prompt": "In three sentences: what speaks against {topic}?",
      "scripted": ["Where there are too many hives, wild bees go hungry."]
    }},
    {"name": "write", "kind": "llm", "reads": ["topic", "history", "practice", "doubts"], "writes": ["report"],
     "retry": {"attempts_max": 2}, "settings": {
      "system": "You write reports out of notes and add nothing to them.",
      "prompt": "Topic: {topic}\nHistory: {history}\nPractice: {practice}\nDoubts: {doubts}",
      "scripted": ["Bees have lived in towns for long. Hives stand on roofs today; too many harm wild bees."]
    }}
  ],
  "edges": [
    {"from": "__start__", "to": "plan"},
    {"from": "plan", "to": "look back"},
    {"from": "plan", "to": "look around"},
    {"from": "plan", "to": "look twice"},
    {"from": "look back", "to": "write"},
    {"from": "look around", "to": "write"},
    {"from": "look twice", "to": "write"},
    {"from": "write", "to": "__end__"}
  ],
  "fan_outs": [{"from": "plan", "join": "write", "policy": "quorum", "quorum": 2}],
  "goal": {
    "name": "report",
    "criteria": [{"id": "is_there", "met_when": "report is not None and len(report) > 20"}]
  }
}
)json";

constexpr std::array<starter, 3> starters{{
    {"hello", "--input who=you", hello},
    {"review", "--input topic='why leaves fall'", review},
    {"research", "--input topic='night trains'", research},
}};

const starter& starter_named(std::string_view name)
{
    const auto found = std::find_if(starters.begin(), starters.end(), [&](const starter& s) { return s.name == name; });
    BOOST_ASSERT(found != starters.end());
    return *found;
}

}  // namespace

std::vector<std::string> starter_names()
{
    std::vector<std::string> names;
    for (const starter& s : starters) names.emplace_back(s.name);
    return names;
}

std::string starter_text(std::string_view which, std::string_view name)
{
    std::string text{starter_named(which).text};
    return text.replace(text.find("NAME"), 4, boost::json::serialize(boost::json::value(name)));
}

std::string_view starter_arguments(std::string_view which) { return starter_named(which).arguments; }

}  // namespace weft_cli
