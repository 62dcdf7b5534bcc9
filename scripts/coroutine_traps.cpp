// What scripts/check-coroutines must find: every line marked `trap`, and no other. Never built.
#include <coroutine>
#include <exception>
#include <initializer_list>
#include <string>
#include <utility>

template <class T>
struct task {
    struct promise_type {
        task get_return_object() { return {}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_value(T) {}
        void unhandled_exception() {}
    };
    bool await_ready() { return true; }
    void await_suspend(std::coroutine_handle<>) {}
    T await_resume() { return {}; }
};

struct options {
    std::string name;
    int width = 0;
};

struct chained {
    chained() {}
    chained& name(std::string text) { return name_ = std::move(text), *this; }
    std::string name_;
};

task<bool> ask();
task<int> number();
task<int> with(options);
task<int> with(chained);
task<int> with_text(std::string);
task<int> with_list(std::initializer_list<int>);
template <class Function>
task<int> with_function(Function)
{
    return {};
}

task<int> wrong(bool flag, std::string text)
{
    if (co_await ask()) co_return 1;                                 // trap
    while (co_await ask()) co_return 1;                              // trap
    for (; co_await ask();) co_return 1;                             // trap
    do flag = !flag; while (co_await ask());                         // trap
    switch (co_await number()) { default: break; }                   // trap
    int a = flag ? co_await number() : 0;                            // trap
    a += co_await with_text(flag ? text : std::string{"x"});         // trap
    a += co_await with(options{.name = text, .width = 1});           // trap
    a += co_await with_list({1, 2});                                 // trap
    a += co_await with_function([text] { return text.size(); });     // trap
    options made{text, co_await number()};                           // trap
    int* made_new = new int(co_await number());                      // trap
    throw co_await number();                                         // trap
    co_return a + made.width + *made_new;
}

template <class T>
task<int> wrong_in_a_template(bool flag, T value)
{
    if (co_await with_function(value)) co_return 1;                  // trap
    int a = flag ? co_await with_function(value) : 0;                // trap
    a += co_await with_function(options{value, 1});                  // trap
    a += co_await with_function([value] { return value; });          // trap
    options made{value, co_await with_function(value)};              // trap
    throw co_await with_function(value);                             // trap
}

template <class T>
task<int> right_in_a_template(T value)
{
    const bool answer = co_await with_function(value);
    if (answer) co_return 1;
    co_return co_await with_function(std::move(value));
}

task<int> right(bool flag, std::string text)
{
    const bool answer = co_await ask();
    if (answer) co_return 1;
    std::string chosen = flag ? text : std::string{"x"};
    int a = co_await with_text(std::move(chosen));
    options wide{.name = text, .width = 1};
    a += co_await with(std::move(wide));
    a += co_await with(chained{}.name(text));
    a += co_await with_text(std::string(3, 'x'));
    auto size = [text] { return text.size(); };
    a += co_await with_function(size);
    a += co_await with_function([] { return 1; });
    co_return a;
}
