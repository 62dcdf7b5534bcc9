#include "commands.hpp"

#include "store/question_text.hpp"
#include "store/store_place.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/people_lines.hpp"
#include "terminal/shell_word.hpp"
#include "thread/thread_status.hpp"

#include <weft/engine/durable_engine.hpp>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace weft_cli {

namespace {

struct answer_args {
    store_args store = {};
    std::string thread = {};
    std::vector<std::string> answers = {};
};

weft::task<int> list_questions(weft::checkpoint_store& store, const store_place& place, weft::thread_key thread)
{
    const std::vector<weft::open_question> open = co_await read_questions(store, thread);
    if (open.empty()) std::cout << "No question is open.\n";
    else std::cout << questions_text(open) << "To answer:\n  weft answer " << shell_word(thread.thread) << " "
                   << shell_word(open.front().address + "=…") << place.option() << '\n';
    co_return all_good;
}

weft::task<int> answer(weft::checkpoint_store& store, const store_place& place, const answer_args& args)
{
    const weft::thread_key thread{args.thread, place.tenant};
    co_await require_thread(store, place, thread);
    if (args.answers.empty()) {
        const int exit_code = co_await list_questions(store, place, thread);
        co_return exit_code;
    }
    const std::vector<weft::open_question> open = co_await read_questions(store, thread);
    weft::question_answers answers = answers_to(open, args.answers);
    const std::size_t count = answers.size();
    weft::durable_engine durable{store, std::make_shared<const weft::durable_graphs>()};
    co_await durable.answer(thread, std::move(answers));
    std::cout << counted_text(count, "question") << " answered, " << counted_text(open.size() - count, "question")
              << " open.\n";
    if (open.size() == count)
        std::cout << "To go on:\n  weft resume " << shell_word(args.thread) << place.option() << '\n';
    co_return all_good;
}

}  // namespace

void add_answer_command(CLI::App& app, int& exit_code)
{
    const auto args = std::make_shared<answer_args>();
    CLI::App& command = *app.add_subcommand("answer", "Answer questions of a run that waits, from anywhere");
    command.add_option("THREAD", args->thread, "Name of the thread")->required()->type_name("");
    command.add_option("ANSWER", args->answers, "ADDRESS=TEXT, NODE=TEXT or TEXT; none: list what is asked")
        ->type_name("");
    add_store_options(command, args->store);
    command.footer(R"(ADDRESS names the question. NODE is enough if that node asks one question only, and TEXT alone if
there is only one question. Of options the number or the beginning of a name is enough; an approval takes yes or no;
several fields are JSON, or lines `name: value`. What does not fit is refused, and a question is answered once.
A run that is parked in a program goes on by that; one that waits in the store needs weft resume.

Examples:
  weft answer trip
  weft answer trip 'review#1/ask#0=send' 'sign#1/ask#0=yes'
  weft answer trip yes

Exit status: 0 answered, 1 the store says no, 2 wrong usage, no such question, an answer that does not fit.)");
    command.callback([args, &exit_code] {
        const store_use use = args->answers.empty() ? store_use::look : store_use::change;
        exit_code = run_on_store("answer", args->store, use,
                                 [args](weft::checkpoint_store& store, const store_place& place) {
                                     return answer(store, place, *args);
                                 });
    });
}

}  // namespace weft_cli
