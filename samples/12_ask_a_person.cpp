// Sample 12, ask a person: a node asks questions in the middle of its work. The run pauses with them, and goes on when
// they are answered: what stands above a question happens once, however often the run is taken up again.
//
// Answers come from the arguments, and then from the terminal: 12_ask_a_person Hanoi 2 yes

#include <weft/weft.hpp>

#include <iostream>
#include <optional>
#include <string>
#include <utility>

using namespace std::chrono_literals;

inline constexpr weft::state_key<std::string> city{"city"};
inline constexpr weft::state_key<std::string> booking{"booking"};

// A service outside that takes money and honours idempotency keys.
struct hotel {
    int reservations = 0;
};

weft::task<std::string> reserve(hotel& at, std::string where, std::string key)
{
    co_await weft::sleep_for(1ms);
    ++at.reservations;
    co_return "room in " + where + ", held by " + key.substr(0, 8);
}

// [ask]
// Any coroutine node may ask, as often as it likes. A question has a kind, and its answer a JSON Schema: what does not
// fit is refused before the node sees it.
weft::task<void> choose(weft::node_context& ctx)
{
    weft::question where{"Where do you want to go?"};
    where.help = "The name of a city.";
    const std::string name = co_await ctx.ask<std::string>(std::move(where));
    ctx.set(city, name);
}
// [/ask]

// [once]
// The reservation is an effect on the world. It stands above a question, so this node runs again from its beginning
// when the answer is there; `once` gives the outcome that was written down instead of reserving again.
weft::task<void> book(weft::node_context& ctx, hotel& at)
{
    const std::string where = ctx.get(city);
    const auto hold = [&](const weft::effect_context& effect) { return reserve(at, where, effect.key()); };
    const std::string room = co_await ctx.once("reserve", hold);

    weft::question which = weft::question::selection("Which board for the " + room + "?", {"breakfast", "full board"});
    const std::string board = co_await ctx.ask<std::string>(std::move(which));

    weft::question sure = weft::question::approval("Book it with " + board + "?");
    const bool is_sure = co_await ctx.ask<bool>(std::move(sure));
    ctx.set(booking, is_sure ? room + ", " + board : std::string{"none"});
}
// [/once]

// What a person says to a question: the next argument, or a line that is typed.
class asker {
public:
    asker(int count, char** words) : left_{words + 1}, end_{words + count} {}

    std::optional<boost::json::value> ask(const weft::question& asked)
    {
        for (;;) {
            std::cout << asked.text;
            for (std::size_t i = 0; i < asked.options.size(); ++i)
                std::cout << "\n  " << i + 1 << ") " << asked.options[i];
            std::cout << "\n> " << std::flush;
            std::string line;
            if (left_ != end_) std::cout << (line = *left_++) << "\n";
            else if (!std::getline(std::cin, line)) return std::nullopt;
            // [parse]
            // Numbers and names of options, words for yes and no, fields, JSON: the text of a person as an answer.
            if (auto answer = weft::parse_answer(asked, line)) return answer;
            // [/parse]
            std::cout << "That is no answer to this question.\n";
        }
    }

private:
    char** left_;
    char** end_;
};

int main(int count, char** words)
{
    hotel at;
    const weft::graph trip = weft::graph_builder{"trip"}
        .state(city, booking)
        .node("choose", choose)
        .node("book", [&at](weft::node_context& ctx) { return book(ctx, at); })
        .edge(weft::start, "choose").edge("choose", "book")
        .build();

    asker person{count, words};
    // [pause]
    // The run ends `paused` when only answers are missing. Its questions have addresses, and a resume brings answers.
    auto journal = std::make_shared<weft::memory_journal>("my company/this thread/this run");
    weft::run_result result = weft::run_blocking(trip, weft::run_request{}.journal(journal));
    while (result.status == weft::run_status::paused) {
        weft::question_answers answers;
        for (const weft::open_question& open : result.questions) {
            const auto answer = person.ask(open.asked);
            if (!answer) return std::cout << "There is no answer to '" << open.address << "'.\n", 1;
            answers.emplace(open.address, *answer);
        }
        result = weft::run_blocking(trip, weft::run_request{}.resume(result.paused_at).answers(std::move(answers)));
    }
    // [/pause]
    if (!result.ok()) return std::cout << result.message() << "\n", 1;
    std::cout << "Booked: " << result.get(booking) << "\nReservations made: " << at.reservations << "\n";
    return at.reservations == 1 ? 0 : 1;
}
