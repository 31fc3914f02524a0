import { act, type Group, type Lexicon, lexicon } from './lexicon.ts';
import { ENGLISH } from './phrases-en.ts';

/** What any language is mixed with. */
const COMMON: readonly Group[] = [
  [act('yes', 'answer'), '👍, 👌, ✅, ✔, ☑, 🆗'],
  [act('deny', 'answer'), '👎, ❌, 🚫, 🛑, ✋'],
  [act('weak', 'answer'), 'ok, okay, oke, oké'],
  [act('deny'), 'stop'],
];

type ShortForms = Readonly<Record<'yes' | 'weak' | 'deny' | 'hold' | 'filler', string>>;

/**
 * Short forms of one language (RL): whole phrases only; `#2` may follow a yes or a no. Left out:
 * what also means "got it", "you can" without its question mark, or a person's name.
 */
function shortForms(forms: ShortForms): Lexicon {
  return lexicon(
    [act('yes', 'hash'), forms.yes],
    [act('weak'), forms.weak],
    [act('deny', 'hash'), forms.deny],
    [act('hold'), forms.hold],
    [{ is: 'filler' }, forms.filler],
  );
}

const GERMAN = shortForms({
  yes: `
    ja, jo, jap, jep, jup, jawohl, jawoll, aber ja, ja klar, ja gerne, ja gern, ja sicher, ja
    natürlich, klar, na klar, aber klar, klar doch, sicher, natürlich, selbstverständlich, gern,
    gerne, sehr gerne, mach, mach das, mach es, mach's, machs, mach mal, mach ruhig, mach schon,
    mach nur, bitte machen, tu es, tu das, tu's, leg los, leg
    bitte los, starte, starte es, los, los geht's, los gehts, auf geht's,
    auf gehts, nur zu, passt, passt so, das passt, in ordnung, einverstanden, genehmigt,
    genehmige, ich genehmige, freigegeben, freigabe erteilt, erlaubt, bewilligt, ich stimme zu,
    führe es aus, führ es aus, führe das aus, führ das aus, ausführen, bitte ausführen, geht klar,
    geht in ordnung, kannst du machen, du darfst, grünes licht, daumen hoch
  `,
  weak: "weiter, weitermachen, mach weiter, weiter geht's, klingt gut, sieht gut aus",
  deny: `
    nein, nee, nö, nein danke, nee danke, lieber nicht, besser nicht, lass das, lass es, lass es
    sein, lass das sein, lass mal, lass sein, lass es bleiben, bloß nicht, stopp, abbrechen, abbruch, brich
    ab, brich das ab, mach das nicht, mach das bitte nicht, mach es nicht, mach es bitte nicht, mach's nicht, tu das nicht, tu das bitte nicht, tu es nicht, tu es bitte
    nicht, starte nicht, starte es nicht,
    nicht machen, nicht ausführen, bitte nicht, nicht tun, auf keinen fall, auf gar keinen fall,
    keinesfalls, niemals, abgelehnt, ablehnen, ich lehne ab, lehne ab, verweigert, abgebrochen,
    nicht genehmigt, nicht einverstanden, vergiss es, storniere, stornieren, natürlich nicht,
    sicher nicht, kommt nicht in frage
  `,
  hold: `
    noch nicht, jetzt nicht, nicht jetzt, später, lieber später, vielleicht später, warte, warte
    mal, warte kurz, bitte warten, warten, warte noch, moment, moment mal, einen moment, kleinen
    moment, sekunde, eine sekunde, eine minute, gleich, morgen, erst morgen, heute abend, halt,
    langsam, nicht so schnell
  `,
  filler: `
    bitte, danke, danke schön, dankeschön, vielen dank, super, prima, perfekt, toll, gut, sehr
    gut, dann, jetzt
  `,
});

const FRENCH = shortForms({
  yes: `
    oui, ouais, ouaip, vas y, allez y, allez, d'accord, fais le, faites le, fais ça, fais cela,
    bien sûr, bien entendu, entendu, évidemment, certainement, absolument, tout à fait,
    volontiers, avec plaisir, approuvé, approuve, j'approuve, je l'approuve, validé, je valide,
    valide, accepté, j'accepte, accordé, autorisé, j'autorise, exécute, exécute le, exécutez,
    exécute ça, lance le, lance ça, lancez, on y va, tu peux y aller, oui tu peux, vous pouvez y aller, oui
    vous pouvez, c'est parti, feu vert, procède, procédez
  `,
  weak: "c'est bon, c'est ok, ça marche, ça me va, continue, continuez, poursuis, poursuivez",
  deny: `
    non, nan, non merci, mais non, ne le fais pas, ne fais pas ça, ne faites pas ça, ne le faites
    pas, ne fais rien, pas ça, arrête, arrêtez, arrête ça, arrête tout, surtout pas, certainement
    pas, absolument pas, pas question, hors de question, jamais, jamais de la vie, bien sûr que
    non, pas d'accord, refusé, refuse, je refuse, refuser, annule, annule ça, annulez, annuler,
    annulé, abandonne, abandonner, rejeté, rejette, je rejette, laisse tomber, laisse, laisse ça,
    oublie, oublie ça, interdit
  `,
  hold: `
    attends, attendez, attends un peu, attends une minute, attendre, plus tard, pas encore, pas
    maintenant, pas tout de suite, pas ce soir, un instant, un moment, une minute, une seconde,
    deux minutes, minute, demain, ce soir, bientôt, pause, doucement
  `,
  filler: `
    s'il te plaît, s'il te plait, s'il vous plaît, s'il vous plait, stp, svp, merci, merci
    beaucoup, parfait, super, bien, très bien, génial, maintenant, alors
  `,
});

const SPANISH = shortForms({
  yes: `
    sí, si, sip, sí claro, claro, claro que sí, claro que si, por supuesto, desde luego, cómo no,
    adelante, dale, dale nomás, dale nomas, venga, vamos, hazlo, hágalo, hazlo ya, haz eso, ejecútalo, ejecutalo, ejecuta,
    ejecute, vale, de acuerdo, aprobado, apruebo, lo apruebo, apruébalo, aprueba, autorizado,
    autorizo, lo autorizo, aceptado, acepto, procede, proceda, conforme, luz verde
  `,
  weak: `
    está bien, esta bien, sigue, siga, continúa, continua, continúe, me parece bien, suena bien
  `,
  deny: `
    no, no gracias, nop, no lo hagas, no lo haga, no hagas eso, no hagas nada, no hacerlo, no lo
    ejecutes, no ejecutar, no ejecutes, cancela, cancelar, cancélalo, cancelalo, cancelado,
    cancele, detente, detenlo, deténgase, detén, para, páralo, paralo, pare, alto, aborta,
    abortar, rechazado, rechazo, lo rechazo, rechaza, rechazar, recházalo, denegado, deniego,
    déjalo, dejalo, olvídalo, olvidalo, ni hablar, ni loco, de ninguna manera, de ningún modo,
    claro que no, por supuesto que no, desde luego que no, nunca, para nada, en absoluto, mejor
    no, anula, anular, no apruebo, no lo apruebo
  `,
  hold: `
    espera, espere, espérate, espera un momento, espera un poco, todavía no, todavia no, aún no,
    aun no, ahora no, luego, más tarde, mas tarde, después, despues, mañana, esta noche, un
    momento, un minuto, un segundo, pausa, despacio
  `,
  filler: `
    por favor, porfa, gracias, muchas gracias, perfecto, genial, estupendo, bien, muy bien, ahora,
    entonces
  `,
});

const ITALIAN = shortForms({
  yes: `
    sì, si, sì certo, certo, certo che sì, certamente, sicuro, ovviamente, naturalmente,
    assolutamente sì, volentieri, vai, vai pure, vai avanti, avanti, andiamo, procedi, procedi
    pure, proceda, fallo, fallo pure, fai, fai pure, faccia pure, fai così, esegui, eseguilo,
    esegui pure, lancialo, d'accordo, approvato, approvo, lo approvo, autorizzato, autorizzo,
    accettato, accetto, concesso, via libera
  `,
  weak: 'va bene, continua, prosegui, per me va bene, mi va bene',
  deny: `
    no, no grazie, non farlo, non lo fare, non fare nulla, non fare niente, non eseguire, non
    eseguirlo, non procedere, annulla, annullalo, annullare, annullato, fermati, ferma, fermo,
    fermalo, fermi, basta, interrompi, lascia stare, lascia perdere, lascialo stare, rifiutato,
    rifiuto, lo rifiuto, rifiuta, respinto, negato, non approvo, non approvato, certo che no,
    assolutamente no, ovviamente no, meglio di no, meglio no, per niente, mai, neanche per sogno,
    non se ne parla, dimenticalo
  `,
  hold: `
    non ancora, aspetta, aspetti, aspetta un attimo, aspetta un momento, aspetta un minuto,
    attendi, più tardi, piu tardi, dopo, magari dopo, non ora, non adesso, adesso no, ora no, un
    attimo, un momento, un minuto, un secondo, domani, stasera, pausa, piano
  `,
  filler: `
    per favore, per piacere, grazie, grazie mille, perfetto, ottimo, bene, benissimo, molto bene,
    ora, adesso, allora
  `,
});

const DUTCH = shortForms({
  yes: `
    ja, jawel, jazeker, jep, ja hoor, ja graag, ja prima, ja natuurlijk, ja zeker, graag, heel
    graag, natuurlijk, uiteraard, zeker, doe maar, doe het, doe het maar, doe dat, doe dat maar,
    ga je gang, ga maar, vooruit, vooruit maar, akkoord, voer uit, voer het uit, voer maar uit,
    uitvoeren, goedgekeurd, ik keur het goed, toegestaan, start maar, mee eens, groen licht, je
    mag, dat mag
  `,
  weak: `
    is goed, dat is goed, prima, ga door, ga verder, ga maar door, verder, doorgaan, klinkt goed,
    ziet er goed uit, in orde
  `,
  deny: `
    nee, neen, alsjeblieft niet, alstublieft niet, aub niet, nee dank je, nee dankje, nee dank u, nee bedankt, niet doen, doe het niet, doe dat
    niet, doe maar niet, niet uitvoeren, voer het niet uit, stop maar, stop ermee, annuleer,
    annuleren, annuleer dat, geannuleerd, afbreken, breek af, laat maar, laat zitten, laat maar
    zitten, laat dat, afgewezen, afwijzen, ik wijs het af, geweigerd, weiger, weigeren, ik weiger,
    afgekeurd, liever niet, beter niet, zeker niet, absoluut niet, natuurlijk niet, nooit, in geen
    geval, geen denken aan, geen sprake van, vergeet het, vergeet het maar, niet akkoord, niet
    goed
  `,
  hold: `
    nog niet, wacht, wacht even, wacht eens, even wachten, wachten, later, misschien later,
    straks, morgen, vanavond, momentje, een moment, een momentje, ogenblik, een ogenblik, even
    geduld, nu niet, niet nu, zo meteen, minuutje, pauze, rustig
  `,
  filler: `
    alsjeblieft, alstublieft, aub, bedankt, dank je, dankje, dank je wel, dank u, super, top,
    mooi, goed, heel goed, perfect, uitstekend, dan, nu
  `,
});

const PORTUGUESE = shortForms({
  yes: `
    sim, claro, claro que sim, sim claro, com certeza, certamente, certo, pode, pode sim, pode ir,
    pode fazer, pode executar, pode seguir, pode mandar, pode prosseguir, podes, podes ir, podes
    fazer, podes avançar, manda ver, manda bala, manda brasa, faz isso, faça isso, faz, faça,
    executa, execute, aprovado, aprovo, eu aprovo, aprova, autorizado, autorizo, aceito, de
    acordo, concordo, combinado, vai, vai em frente, vá em frente, vai fundo, vamos, vamos lá,
    bora, avança, avance, avante, prossiga, prossegue, sinal verde, luz verde
  `,
  weak: `
    beleza, tá bom, ta bom, está bem, está bom, tudo bem, tá, continua, continue, segue, siga, por
    mim tudo bem, parece bom
  `,
  deny: `
    não, nao, não obrigado, não obrigada, nao obrigado, não faça, não faça isso, não faz isso, não
    faças isso, não execute, não executa, não executar, não pode, cancela, cancelar, cancele,
    cancelado, para, para com isso, pare, pára, parar, aborta, abortar, aborte, rejeitado,
    rejeito, rejeita, rejeitar, recusado, recuso, recusa, negado, nego, deixa pra lá, deixa para
    lá, deixa, deixa estar, deixe, deixe estar, esquece, esqueça, de jeito nenhum, de forma
    alguma, de maneira nenhuma, claro que não, nem pensar, melhor não, nunca, jamais, não aprovo,
    não aprovado, não autorizo, anula, anular
  `,
  hold: `
    ainda não, agora não, espera, espere, espera aí, espera um pouco, aguarda, aguarde, depois,
    mais tarde, amanhã, hoje à noite, um momento, um minuto, um instante, um segundo, só um
    momento, só um minuto, calma, devagar, pausa
  `,
  filler: `
    por favor, por gentileza, obrigado, obrigada, muito obrigado, perfeito, ótimo, excelente, bom,
    muito bem, bem, agora, então
  `,
});

/** Each language with what is common to all; a message must be read whole in one of them. */
export const LEXICONS: readonly Lexicon[] = [
  ENGLISH,
  GERMAN,
  FRENCH,
  SPANISH,
  ITALIAN,
  DUTCH,
  PORTUGUESE,
].map((own) => new Map([...lexicon(...COMMON), ...own]));
