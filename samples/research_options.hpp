#pragma once

/** The command line of the demo. Used by parallel_research.cpp. */

#include <weft/base/utf8.hpp>

#include <CLI/CLI.hpp>

#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

struct research_options {
    std::string topic = "urban beekeeping";
    std::int64_t rounds_max = 3;
    std::string store;  // a file; empty: the run is not kept
    bool is_fast = false;
};

/** Reads the command line. @return  The options, or with what the program shall exit at once. */
inline std::optional<research_options> read_command_line(int argc, char** argv, int& exit_code)
{
    research_options options;
    std::vector<std::string> words;
    CLI::App app{"Researches a topic with a graph of agents: plan, three researchers in parallel, "
                 "write, judge, and back "
                 "to write until the judge is content. Replies stream over HTTPS while you watch."};
    app.add_option("topic", words, "What to research, in as many words as you like")
        ->type_name("WORD");
    app.add_option("--rounds-max", options.rounds_max,
                   "Drafts at most, however strict the judge is")
        ->check(CLI::Range(1, 20))
        ->type_name("N")
        ->capture_default_str();
    app.add_flag("--fast", options.is_fast, "Let the scripted endpoint answer ten times as fast");
    app.add_option("--store", options.store,
                   "Keep the run in this file, so that the same command goes on when the process "
                   "was killed")
        ->type_name("FILE");
    app.footer(R"(Which model answers:
  WEFT_LLM_PROVIDER  the API: openai, the default, also for compatible endpoints; openai_responses,
                     anthropic, gemini, ollama
  WEFT_LLM_URL       base URL of the endpoint, up to and without /chat/completions and the like
  WEFT_LLM_API_KEY   its key, if it wants one
  WEFT_LLM_MODEL     the model to ask
  OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY
                     alone: asks that provider
  none of these      a scripted endpoint on this machine, over real TLS, which costs nothing

Examples:
  parallel_research
  parallel_research why do cats purr
  WEFT_LLM_URL=http://localhost:11434/v1 WEFT_LLM_MODEL=llama3.2 parallel_research rain
  parallel_research --store runs.db rain    # kill -9 it, or press Ctrl-C, and call it again

Ctrl-C stops everything at once and says what was cut short. With --store what was done is kept by
topic, step by step: no reply that is there is asked for again. With NO_COLOR set there are no colours.
Exit status: 0 finished, 1 failed, 2 wrong usage, 130 stopped by Ctrl-C.)");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        exit_code = app.exit(e) == 0 ? 0 : 2;
        return std::nullopt;
    }
    if (words.empty()) return options;
    options.topic.clear();
    for (const std::string& word : words)
        options.topic += (options.topic.empty() ? "" : " ") + word;
    options.topic = weft::repaired_utf8(options.topic);  // a shell passes any bytes
    if (options.topic.find_first_not_of(" \t\n") != std::string::npos) return options;
    std::cerr << "The topic is empty. Leave it out, or see --help.\n";
    exit_code = 2;
    return std::nullopt;
}
