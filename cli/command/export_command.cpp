#include "commands.hpp"

#include "graph/run_input.hpp"
#include "store/store_place.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/list_option.hpp"

#include <weft/agent/conversation/training_export.hpp>
#include <weft/base/text/ascii_text.hpp>

#include <unistd.h>

#include <charconv>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

extern char** environ;  // NOLINT: POSIX

namespace weft_cli {

namespace {

struct export_args {
    store_args store = {};
    std::string out = {};
    std::string format = "openai";
    std::vector<std::string> outcomes = {};
    std::string graph = {};
    std::string label = {};
    std::string key = {};
    std::string rating = {};
    bool is_quiet = false;
};

/** Values of variables that are named like secrets: what an agent was told of them does not leave the store. */
std::vector<weft::secret_string> secrets_of_environment()
{
    constexpr std::size_t length_min = 8;
    std::vector<weft::secret_string> secrets;
    for (char** each = environ; each && *each; ++each) {
        const std::string_view variable{*each};
        const std::size_t equals = variable.find('=');
        if (equals == variable.npos || variable.size() - equals - 1 < length_min) continue;
        const std::string name = weft::ascii_lower_case(variable.substr(0, equals));
        for (const std::string_view part : {"key", "token", "secret", "password", "passwd"})
            if (name.ends_with(part)) {
                secrets.emplace_back(variable.substr(equals + 1));
                break;
            }
    }
    return secrets;
}

weft::thread_outcome outcome_named(const std::string& name)
{
    for (const weft::thread_outcome one : {weft::thread_outcome::finished, weft::thread_outcome::failed,
                                           weft::thread_outcome::cancelled, weft::thread_outcome::unfinished})
        if (name == name_of(one)) return one;
    throw usage_error{"--outcome " + name + ": it is finished, failed, cancelled or unfinished"};
}

/** `KEY>=NUMBER` */
void read_rating(const std::string& word, weft::training_export_options& to)
{
    const std::size_t at = word.find(">=");
    double least = 0;
    const char* const end = word.data() + word.size();
    const bool is_number =
        at != word.npos && std::from_chars(word.data() + at + 2, end, least).ptr == end && at + 2 < word.size();
    if (!is_number || at == 0)
        throw usage_error{"--rating " + word + ": write a key of the state and a number, e.g. --rating 'stars>=4'"};
    to.rating_key = word.substr(0, at);
    to.rating_min = least;
}

weft::training_export_options options_of(const export_args& args)
{
    weft::training_export_options options;
    if (args.format == "sharegpt") options.format = weft::training_format::sharegpt;
    if (!args.outcomes.empty()) options.outcomes.clear();
    for (const std::string& name : args.outcomes) options.outcomes.push_back(outcome_named(name));
    options.graph = args.graph;
    options.label = args.label;
    options.key = args.key;
    if (!args.rating.empty()) read_rating(args.rating, options);
    options.secrets = secrets_of_environment();
    return options;
}

std::string progress_text(const weft::training_export_counts& done)
{
    return std::to_string(done.threads) + " threads, " + std::to_string(done.conversations) + " conversations";
}

/** Tells now and then how far it is, where a person looks. */
void tell_progress(const weft::training_export_counts& done)
{
    constexpr std::size_t every = 50;
    if (done.threads % every == 0) std::cerr << '\r' << progress_text(done) << std::flush;
}

weft::task<int> export_all(weft::checkpoint_store& store, const store_place& place, const export_args& args)
{
    weft::training_export_options options = options_of(args);
    const bool is_shown = !args.is_quiet && ::isatty(STDERR_FILENO) != 0;
    if (is_shown) options.on_progress = tell_progress;
    std::ofstream file;
    if (!args.out.empty()) {
        file.open(args.out, std::ios::binary | std::ios::trunc);
        if (!file) throw usage_error{"-o " + args.out + ": the file cannot be written"};
    }
    std::ostream& to = args.out.empty() ? std::cout : file;
    const std::function<void(std::string_view)> write = [&to](std::string_view line) { to << line << '\n'; };
    const weft::training_export_counts done =
        co_await weft::export_conversations(store, place.tenant, std::move(options), write);
    to.flush();
    if (!to) throw usage_error{"not all was written: " + (args.out.empty() ? "standard output" : args.out) +
                               " does not take it"};
    if (is_shown) std::cerr << '\r';
    if (!args.is_quiet)
        std::cerr << progress_text(done) << "; left out by the filters: " << done.filtered
                  << ", without a conversation: " << done.without << '\n';
    co_return all_good;
}

constexpr const char* export_footer =
    R"(One line is one conversation: of a key of the state of the type messages, and of each talk of a key of the type
conversation. It ends with the last reply of the model. Reasoning is left out.

  openai     {"messages": [{"role": "user", "content": "..."}, ...]}, with tool_calls
  sharegpt   {"conversations": [{"from": "human", "value": "..."}, ...]}, with function_call and observation

Which threads: by default those whose last run finished. --label takes those with a checkpoint that weft label gave this
name, as it stood there: a person can so pick good conversations. --rating takes those where a key of the state is high
enough, such as the verdict of a judge or the stars of a user.

Hidden as ***: values of variables of the environment that end in KEY, TOKEN, SECRET or PASSWORD; what looks like a key
of a service, a web token or a private key; values of names such as password and api_key. Look at the file
before you give it away: names of people, and secrets in plain words, are still in it.

Examples:
  weft export -o talks.jsonl
  weft export --store runs.db --graph support --rating 'stars>=4' --format sharegpt -o good.jsonl
  weft label trip-1 12 good && weft export --label good
  weft export --outcome finished,failed --quiet | wc -l

Exit status: 0 exported, 1 the store says no, 2 wrong usage, or no store.)";

}  // namespace

void add_export_command(CLI::App& app, int& exit_code)
{
    const auto args = std::make_shared<export_args>();
    CLI::App& command = *app.add_subcommand("export", "Write conversations as lines of JSON, for fine-tuning");
    command.add_option("-o,--out", args->out, "Write to this file instead of standard output")->type_name("FILE");
    command.add_option("--format", args->format, "Form of a line")
        ->check(CLI::IsMember({"openai", "sharegpt"}))
        ->type_name("FORMAT")
        ->capture_default_str();
    add_comma_list(command, "--outcome", args->outcomes,
                   "How the last run ended: finished (the default), failed, cancelled, unfinished")
        ->type_name("WORD");
    command.add_option("--graph", args->graph, "Only threads of this graph")->type_name("NAME");
    command.add_option("--label", args->label, "Only threads with a checkpoint of this name, as it stood there")
        ->type_name("NAME");
    command.add_option("--key", args->key, "Only conversations of this key of the state")->type_name("KEY");
    command.add_option("--rating", args->rating, "Only threads where a key of the state is at least a number")
        ->type_name("KEY>=N");
    command.add_flag("-q,--quiet", args->is_quiet, "Tell no numbers on standard error");
    add_store_options(command, args->store);
    command.footer(export_footer);
    command.callback([args, &exit_code] {
        exit_code = run_on_store("export", args->store, store_use::look,
                                 [args](weft::checkpoint_store& store, const store_place& place) {
                                     return export_all(store, place, *args);
                                 });
    });
}

}  // namespace weft_cli
